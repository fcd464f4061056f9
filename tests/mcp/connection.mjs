// The official MCP clients, connected to `statefork mcp`. They are installed in the build
// directory, hence `require`, which accepts search paths.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

export const require = createRequire(`${process.env.SF_MCP_PACKAGES}/`);

const IDENTITY = { name: 'statefork-tests', version: '0' };
const SERVER = {
  command: process.env.SF_PROGRAM,
  args: ['mcp', '--socket', process.env.SF_SOCKET, '--state', process.env.SF_STATE],
};
export const STATELESS = '2026-07-28';

// The SDK requests the newest revision that it knows; this function makes it request `revision`.
async function connectWithHandshake(revision) {
  const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
  const transport = new StdioClientTransport(SERVER);
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (message.method === 'initialize') message.params.protocolVersion = revision;
    return send(message, options);
  };
  let agreed;
  transport.setProtocolVersion = (version) => { agreed = version; };
  const client = new Client(IDENTITY);
  await client.connect(transport);
  return { client, agreed, callTool: (params, options) => client.callTool(params, undefined, options) };
}

async function connectStateless(mode) {
  const { Client } = require('@modelcontextprotocol/client');
  const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');
  const client = new Client(IDENTITY, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport(SERVER));
  const agreed = client.getNegotiatedProtocolVersion();
  return { client, agreed, callTool: (params, options) => client.callTool(params, options) };
}

// A client of this revision. Both SDKs validate the results of tools against their output schemas.
export async function connect(revision) {
  const connection = revision === STATELESS ? await connectStateless({ pin: STATELESS })
    : revision === 'auto' ? await connectStateless('auto')
    : await connectWithHandshake(revision);
  const { client, agreed, callTool } = connection;
  assert.equal(agreed, revision === 'auto' ? STATELESS : revision);
  assert.equal(client.getServerVersion().name, 'statefork');
  const { tools } = await client.listTools();  // afterwards the client knows the output schemas
  const call = (name, args = {}, options = {}) => callTool({ name, arguments: args }, options);
  // A call that must succeed. Returns its text and its structured content.
  const use = async (name, args, options) => {
    const result = await call(name, args, options);
    assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
    return { text: result.content[0].text, ...result.structuredContent };
  };
  return { client, tools, call, use };
}

// Runs `work` with a connection, which is always closed.
export async function withConnection(revision, work) {
  const connection = await connect(revision);
  try {
    await work(connection);
  } finally {
    await connection.client.close();
  }
}
