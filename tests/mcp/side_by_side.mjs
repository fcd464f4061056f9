// side_by_side.mjs REVISION: an endless command blocks only its own branch, reports progress, and
// ends when its call is cancelled.
import assert from 'node:assert/strict';
import { withConnection } from './connection.mjs';

await withConnection(process.argv[2], async ({ use, call }) => {
  const { id: session } = await use('session_create', {});
  await use('fork', { session, names: ['other'] });

  const abort = new AbortController();
  let seenProgress;
  const progress = new Promise((resolve) => { seenProgress = resolve; });
  let last = 0;
  const onprogress = (told) => {
    assert.ok(told.progress > last, 'progress grows');
    last = told.progress;
    if (told.message.includes('ready')) seenProgress();
  };
  // The endless program itself prints "ready", because a Ctrl-C while bash forks may be lost, as on
  // any terminal.
  const command = "sh -c 'echo ready; exec sleep 100000'";
  const endless = call('exec_command', { session, command, timeout_ms: 0 },
    { signal: abort.signal, onprogress, timeout: 600_000 });
  endless.catch(() => {});  // checked below
  await progress;

  const behind = call('exec_command', { session, command: 'echo behind' });
  const tree = await use('tree', { session });
  assert.deepEqual(tree.branches.find((one) => one.id === 'main').pending, [command]);
  assert.equal((await use('exec_command', { session, branch: 'other', command: 'echo beside' })).output, 'beside\n');

  abort.abort('no longer wanted');
  await assert.rejects(endless);
  assert.equal((await behind).structuredContent.output, 'behind\n');
  await use('session_destroy', { session });
});
