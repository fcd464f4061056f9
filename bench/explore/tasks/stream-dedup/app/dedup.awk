# Lines that were not there before go to /app/out/unique. "?" asks for statistics, "!" forgets everything.
$0 == "?" { print "lines", lines + 0, "unique", unique + 0; fflush(); next }
$0 == "!" { for (line in seen) delete seen[line]; next }
{
  lines++
  if (!($0 in seen)) {
    seen[$0] = 1
    unique++
    print >>"/app/out/unique"
    fflush("/app/out/unique")
  }
}
END { print "lines", lines + 0, "unique", unique + 0 >"/app/out/summary" }
