#!/bin/bash

# The base layer goes first.
/app/bin/conf merge base.ini

# Then the site's.
/app/bin/conf merge site.ini

# The secret is drawn before the host's layer.
/app/bin/conf secret

# The host's layer on top.
/app/bin/conf merge host.ini

# Seal it.
/app/bin/conf seal
