"""An SMB client that opens files, for machines where nothing can be mounted."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from uuid import UUID, uuid4

from smbprotocol.connection import Connection
from smbprotocol.create_contexts import (
    CreateContextName,
    SMB2CreateContextRequest,
    SMB2CreateDurableHandleReconnectV2,
    SMB2CreateDurableHandleRequestV2,
)
from smbprotocol.exceptions import SMBException
from smbprotocol.open import (
    CreateDisposition,
    CreateOptions,
    FileAttributes,
    FilePipePrinterAccessMask,
    ImpersonationLevel,
    Open,
    RequestedOplockLevel,
    ShareAccess,
)
from smbprotocol.session import Session
from smbprotocol.tree import TreeConnect

_FILE: Final = "opened.txt"
_ANSWER_SECONDS: Final = 30
_DURABLE_SECONDS: Final = 600
"""Longer than any test: a handle that runs out would look like one that was claimed."""


class SmbClient:
    """A machine with one login to a share of a server here.

    It asks for a durable handle of each file, so it can claim one that it left open when it was cut off.
    """

    def __init__(self, share: str, username: str, password: str) -> None:
        self._share = share
        self._login = (username, password)
        self._guid: Final = uuid4()
        self._left_open: _DurableFile | None = None

    @contextmanager
    def file_open(self, port: int) -> Iterator[None]:
        """Log in and open a file, or claim the one that was left open; close it and log off at the end."""
        with self._connected(port) as file:
            yield
            self._close(file)

    def lose_file(self, port: int) -> None:
        """Open a file, and lose the connection."""
        with self._connected(port):
            pass

    @contextmanager
    def _connected(self, port: int) -> Iterator[Any]:
        """The open file; the connection ends without a goodbye."""
        connection = Connection(self._guid, "127.0.0.1", port)
        try:
            connection.connect(timeout=_ANSWER_SECONDS)
            session = Session(connection, *self._login, require_encryption=False)
            session.connect()
            tree = TreeConnect(session, rf"\\127.0.0.1\{self._share}")
            tree.connect(require_secure_negotiate=False)
            yield self._open(tree)
        except SMBException as error:
            raise OSError(f"the server has cut the SMB client off, or refused it: {error}") from error
        finally:
            connection.disconnect(close=False)

    def _open(self, tree: Any) -> Any:  # noqa: ANN401 - the library has no types
        file = Open(tree, _FILE)
        claimed, create_guid = self._left_open, uuid4()
        file.create(
            ImpersonationLevel.Impersonation,
            FilePipePrinterAccessMask.GENERIC_READ | FilePipePrinterAccessMask.GENERIC_WRITE,
            FileAttributes.FILE_ATTRIBUTE_NORMAL,
            ShareAccess.FILE_SHARE_READ,
            CreateDisposition.FILE_OPEN_IF,
            CreateOptions.FILE_NON_DIRECTORY_FILE,
            create_contexts=[_claim(*claimed) if claimed else _durable(create_guid)],
            oplock_level=RequestedOplockLevel.SMB2_OPLOCK_LEVEL_BATCH,
        )
        self._left_open = claimed or (file.file_id, create_guid)
        return file

    def _close(self, file: Any) -> None:  # noqa: ANN401 - the library has no types
        # First the file: a logoff alone is silently left out where the server has cut the connection.
        file.close()
        self._left_open = None
        file.connection.disconnect()


_DurableFile = tuple[bytes, UUID]
"""The server's name of an open file, and the client's."""


def _durable(create_guid: UUID) -> Any:  # noqa: ANN401 - the library has no types
    wanted = SMB2CreateDurableHandleRequestV2()
    wanted["timeout"] = _DURABLE_SECONDS * 1000
    wanted["create_guid"] = create_guid
    return _context(CreateContextName.SMB2_CREATE_DURABLE_HANDLE_REQUEST_V2, wanted)


def _claim(file_id: bytes, create_guid: UUID) -> Any:  # noqa: ANN401 - the library has no types
    claim = SMB2CreateDurableHandleReconnectV2()
    claim["file_id"] = file_id
    claim["create_guid"] = create_guid
    return _context(CreateContextName.SMB2_CREATE_DURABLE_HANDLE_RECONNECT_V2, claim)


def _context(name: Any, data: Any) -> Any:  # noqa: ANN401 - the library has no types
    context = SMB2CreateContextRequest()
    context["buffer_name"] = name
    context["buffer_data"] = data
    return context
