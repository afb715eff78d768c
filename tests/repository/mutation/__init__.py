"""Whether the tests notice when the code that decides, classifies and names is changed a little."""
