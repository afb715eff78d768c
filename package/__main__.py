"""What an engine starts for a program in any language that has this folder among its packages."""

from dittoinfra.sdk.component_host import main

main()
