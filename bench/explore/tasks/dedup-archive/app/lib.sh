# store FILE...: puts files into the archive. Needs n, bytes, and descriptor 6 for the index.
store() {
  local file name
  for file; do
    name=$(python3 -B /app/stretch.py "$file") || return
    n=$((n + 1)) bytes=$((bytes + $(stat -c %s "$file")))
    [ -e "/app/out/objects/$name" ] || cp "$file" "/app/out/objects/$name"
    printf '%02d %s %s\n' "$n" "$name" "$file" >&6
  done
}
