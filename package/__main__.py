"""What an engine starts for a program in any language that has this folder among its packages."""

import sys

from dittoinfra.sdk.component_host import serve

serve(sys.argv[1:])
