#!/bin/bash

# Open the console.
. /app/console.sh; console_open; ask "select * from accounts;"

# Begin, with the memo.
ask "begin immediate; create temp table memo (reason); insert into memo values ('march');" 

# Subtract.
ask "update accounts set balance = balance - 250 where name = 'ops';"; ask "select * from accounts;" 

# Add.
ask "update accounts set balance = balance + 250 where name = 'payroll';"; ask "select sum(balance) from accounts;" 

# Commit, and write the statement.
ask "commit;"; ask "select reason, name, balance from memo, accounts where name in ('ops', 'payroll') order by name;" >/app/statement; cat /app/statement
