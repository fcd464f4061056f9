#!/bin/bash

# An agent with a key that only it has.
eval "$(ssh-agent -a /app/run/agent.sock)" >/dev/null
ssh-keygen -q -t ed25519 -N '' -C release-2 -f /app/keys/release-2 </dev/null && ssh-add -q /app/keys/release-2 && rm /app/keys/release-2
ssh-add -l

# The manifest.
cd /app/dist && key=/app/keys/release-2.pub && sha256sum *.tar >MANIFEST && wc -l <MANIFEST

# Sign it with the agent's key.
ssh-keygen -q -Y sign -n release -f "$key" MANIFEST </dev/null 2>/dev/null; ls

# Allow the new key instead of the old.
{ printf 'release namespaces="release" '; cut -d' ' -f1,2 "$key"; } >>/app/keys/allowed; sed -i /release-1/d /app/keys/allowed; wc -l </app/keys/allowed

# Verify.
ssh-keygen -Y verify -f /app/keys/allowed -I release -n release -s MANIFEST.sig <MANIFEST >/dev/null && { echo "$SSH_AUTH_SOCK"; pwd; } >/app/session; cat /app/session
