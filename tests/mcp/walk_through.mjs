// walk_through.mjs REVISION: calls every tool in the order in which an agent would.
import assert from 'node:assert/strict';
import { require, withConnection } from './connection.mjs';

const TOOLS = ['session_create', 'session_list', 'session_destroy', 'tree', 'diff', 'cleanup', 'exec_command', 'run',
  'snapshot', 'restore', 'fork', 'read_file', 'write_file', 'send_keys', 'mouse', 'screen', 'resize'];

function checkSchemas(tools) {
  assert.deepEqual(tools.map((tool) => tool.name), TOOLS);
  const Ajv = require('ajv/dist/2020').default;
  for (const tool of tools) {
    const ajv = new Ajv({ strict: true, allowUnionTypes: true });
    ajv.compile(tool.inputSchema);
    ajv.compile(tool.outputSchema);
    for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'])
      assert.equal(typeof tool.annotations[hint], 'boolean', `${tool.name} ${hint}`);
  }
}

async function goAstrayAndBack({ use }, session) {
  const run = (command, more = {}) => use('exec_command', { session, command, ...more });
  const first = await run('cd /tmp; x=before; echo draft >plan; sleep 1000 & echo ready');
  assert.equal(first.exit_code, 0);
  assert.match(first.text, /ready\n\[exit code 0, /);
  assert.equal((await run('false')).exit_code, 1);

  const written = await use('write_file', { session, path: '/tmp/notes', content: 'café\n' });
  assert.equal(written.bytes, 6);
  const snapshot = await use('snapshot', { session, name: 'good', notes: { score: '1' } });
  assert.match(snapshot.text, /^node \S+ \(good\) holds branch main/);

  await run('x=after; rm plan; echo more >>notes; kill %1; cd /');
  const diff = await use('diff', { session, from: 'good' });
  const changed = Object.fromEntries(diff.differences.map((one) => [one.name, one]));
  assert.equal(changed['/tmp/plan'].kind, 'removed');
  assert.match(changed['/tmp/notes'].patch, /^\+more$/m);
  assert.match(diff.text, /^file removed: \/tmp\/plan/m);

  const back = await use('restore', { session, node: 'good' });
  assert.equal(back.node, snapshot.node);
  const seen = await run('echo $x; cat plan notes; jobs -r; pwd');
  assert.match(seen.output, /^before\ndraft\ncafé\n\[1\].*sleep 1000.*\n\/tmp\n$/);
}

// An agent pauses between two calls; during the pause its branch is precaptured.
async function writeAfterAPause({ use }, session) {
  await use('snapshot', { session });
  for (const pause of [0, 150, 600]) {
    const content = `payload after ${pause} ms`;
    await use('exec_command', { session, command: 'true' });
    await new Promise((resolve) => setTimeout(resolve, pause));
    await use('write_file', { session, path: '/tmp/payload', content });
    const { node } = await use('snapshot', { session });
    await use('restore', { session, node });
    assert.equal((await use('exec_command', { session, command: 'cat /tmp/payload' })).output, content);
    const { branches: [{ branch }] } = await use('fork', { session, node });
    assert.equal((await use('read_file', { session, branch, path: '/tmp/payload' })).content, content);
    await use('cleanup', { session, remove_branch: branch });
  }
}

async function forkAndLook({ use }, session) {
  const { branches, node } = await use('fork', { session, node: 'good', names: ['left', 'right'] });
  assert.deepEqual(branches, [{ branch: 'left', accepted: [] }, { branch: 'right', accepted: [] }]);
  await Promise.all(['left', 'right'].map(
    (branch) => use('exec_command', { session, branch, command: `echo ${branch} >>plan` })));
  const read = await use('read_file', { session, branch: 'right', path: '/tmp/plan' });
  assert.equal(read.content, 'draft\nright\n');
  assert.equal(read.text, 'draft\nright\n');

  const tree = await use('tree', { session });
  assert.match(tree.text, /good .*<- left \+1, main \+\d, right \+1/);
  assert.equal(tree.nodes.find((one) => one.id === node).notes.score, '1');
  assert.equal(tree.branches.length, 3);
  const removed = await use('cleanup', { session, remove_branch: 'left' });
  assert.deepEqual(removed.branches, ['left']);
}

async function passBytes({ use }, session) {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  await use('write_file', { session, path: '/tmp/bytes', content: bytes.toString('base64'), encoding: 'base64' });
  const read = await use('read_file', { session, path: '/tmp/bytes' });
  assert.equal(read.encoding, 'base64');
  assert.deepEqual(Buffer.from(read.content, 'base64'), bytes);
  const text = 'line\n'.repeat(100_000);
  await use('write_file', { session, path: '/tmp/long', content: text });
  const part = await use('read_file', { session, path: '/tmp/long', offset: 5, max_bytes: 10 });
  assert.equal(part.content, 'line\nline\n');
  assert.equal(part.bytes, text.length);
}

async function typeAndLook({ use }, session) {
  assert.ok((await use('send_keys', { session, keys: ['clear; echo ty""ped', 'Enter'] })).accepted_bytes > 0);
  let seen;
  do seen = await use('screen', { session }); while (!/^typed$/m.test(seen.text));
  assert.equal(seen.alternate_screen, false);
}

// A side command runs while the shell is busy; the next snapshot has the changes of both.
async function runBeside({ use }, session) {
  const command = use('exec_command', { session, command: 'until [ -e /tmp/go ]; do sleep 0.05; done; echo went' });
  const argv = ['sh', '-c', 'cat; echo "$x" >&2; touch /tmp/go; exit 3'];
  const beside = await use('run', { session, argv, input: 'given', env: { x: 'set' } });
  assert.deepEqual([beside.exit_code, beside.stdout, beside.stderr], [3, 'given', 'set\n']);
  assert.match(beside.text, /^given\n\[standard error\]\nset\n\[exit code 3, /);
  assert.equal((await command).output, 'went\n');
  await use('resize', { session, rows: 33, cols: 99 });
  assert.equal((await use('exec_command', { session, command: 'stty size' })).output, '33 99\n');
  const { node } = await use('snapshot', { session });
  const { branches: [{ branch }] } = await use('fork', { session, node });
  assert.equal((await use('exec_command', { session, branch, command: 'stty size; ls /tmp/go' })).output, '33 99\n/tmp/go\n');
  await use('cleanup', { session, remove_branch: branch });
}

async function failWell({ client, call }, session) {
  const failed = async (name, args, pattern) => {
    const result = await call(name, args);
    assert.equal(result.isError, true, name);
    assert.match(result.content[0].text, pattern);
  };
  await failed('exec_command', { session: 'nobody', command: 'ls' }, /nobody.*\nhint: /s);
  await failed('exec_command', { session, cmd: 'ls' }, /unknown argument "cmd"\nhint: arguments: session/);
  await failed('restore', { session, node: 'nowhere' }, /nowhere/);
  await failed('read_file', { session, path: '/no/such/file' }, /./);
  await assert.rejects(call('no_such_tool'), (error) => error.code === -32602);
  await assert.rejects(client.listTools({ cursor: 'x' }), (error) => error.code === -32602);
}

await withConnection(process.argv[2], async (connection) => {
  checkSchemas(connection.tools);
  const created = await connection.use('session_create', { name: 'work', env: { LANG: 'C.UTF-8' } });
  await goAstrayAndBack(connection, 'work');
  await forkAndLook(connection, created.id);
  await writeAfterAPause(connection, 'work');
  await passBytes(connection, 'work');
  await typeAndLook(connection, 'work');
  await runBeside(connection, 'work');
  await failWell(connection, 'work');
  const { sessions } = await connection.use('session_list', {});
  assert.deepEqual(sessions.map((one) => one.id), [created.id]);
  await connection.use('session_destroy', { session: 'work' });
  assert.equal((await connection.use('session_list', {})).sessions.length, 0);
});
