import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Argument, Option, type Command } from 'commander';
import { EXIT, type Exit } from '../exit.ts';
import type { Host, Output } from '../output.ts';
import type { Run } from '../run.ts';
import { realWorkspace } from './db-session.ts';

/** What a host is told to start. */
interface Start {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** A host, where it keeps its servers, and how that file is written. */
interface HostFormat {
  title: string;
  file: string;
  write: (start: Start) => string;
}

const HOSTS: Readonly<Record<string, HostFormat>> = {
  'claude-code': { title: 'Claude Code', file: '.mcp.json in the project', write: jsonUnder('mcpServers', { type: 'stdio' }) },
  'claude-desktop': { title: 'Claude Desktop', file: 'claude_desktop_config.json (Settings, Developer)', write: jsonUnder('mcpServers') },
  cursor: { title: 'Cursor', file: '.cursor/mcp.json in the project, or ~/.cursor/mcp.json', write: jsonUnder('mcpServers') },
  vscode: { title: 'VS Code', file: '.vscode/mcp.json in the project', write: jsonUnder('servers', { type: 'stdio' }) },
  codex: { title: 'Codex', file: '~/.codex/config.toml', write: toml },
  antigravity: { title: 'Antigravity', file: '~/.gemini/antigravity/mcp_config.json', write: jsonUnder('mcpServers') },
};

/** Settings that a host has to pass on, since it starts the server with an environment of its own. A connection URL may hold a password: that one is only named. */
const PASSED = ['PATCHDIFF_HOME'] as const;
const NAMED = ['DATABASE_URL', 'PGHOST', 'PGSERVICE'] as const;

/** What `patchdiff mcp` takes; a test holds these against it. */
export const PROFILES = ['full', 'observed_workspace', 'workspace', 'observed_v2'];
export const MODES = ['detailed', 'compact'];

/** The command that prints what a host has to be told. */
export function addMcpConfig(program: Command, host: Host, run: Run): void {
  program
    .command('mcp-config')
    .description('print the block that makes an MCP host start this server, with absolute paths')
    .addArgument(new Argument('<host>', 'which host').choices(Object.keys(HOSTS)))
    .option(
      '--workspace <directory>',
      'what files may be imported from and saved to (default: PATCHDIFF_WORKSPACE_ROOT, else the current directory)',
    )
    .addOption(new Option('--profile <name>', 'which tools the server offers (default: full)').choices(PROFILES))
    .addOption(new Option('--response-mode <mode>', 'how much it answers (default: detailed)').choices(MODES))
    .addHelpText(
      'after',
      '\nThe block is on stdout, where it belongs on stderr. It starts this very installation with this Node, whatever PATH the host has.',
    )
    .action(
      run((output, name: string, options: Record<string, string | undefined>) => Promise.resolve(print(host, output, name, options))),
    );
}

function print(host: Host, output: Output, name: string, options: Record<string, string | undefined>): Exit {
  const format = HOSTS[name];
  if (format === undefined) throw new RangeError('commander let an unknown host through');
  const given = options['workspace'] ?? (host.env['PATCHDIFF_WORKSPACE_ROOT'] || '.');
  const args = ['mcp', '--workspace', realWorkspace(path.resolve(host.cwd, given))];
  for (const [flag, value] of [
    ['--profile', options['profile']],
    ['--response-mode', options['responseMode']],
  ] as const) {
    if (value !== undefined) args.push(flag, value);
  }
  const env = Object.fromEntries(
    PASSED.flatMap((variable) => (host.env[variable] ? [[variable, path.resolve(host.cwd, host.env[variable])]] : [])),
  );
  const block = format.write({ command: process.execPath, args: [fileURLToPath(new URL('../main.js', import.meta.url)), ...args], env });
  output.answer({ host: name, file: format.file, block }, () => block);
  if (!output.json) {
    output.warn(`${format.title}: put this into ${format.file}`);
    for (const variable of NAMED) {
      if (host.env[variable])
        output.warn(`${variable} is set here; a host does not inherit it: add it to the block's "env" if the server shall use it`);
    }
  }
  return EXIT.done;
}

function jsonUnder(key: string, more: Record<string, string> = {}): (start: Start) => string {
  return ({ command, args, env }) => {
    const server = { ...more, command, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
    return `${JSON.stringify({ [key]: { patchdiff: server } }, null, 2)}\n`;
  };
}

function toml({ command, args, env }: Start): string {
  const lines = ['[mcp_servers.patchdiff]', `command = ${tomlText(command)}`, `args = [${args.map(tomlText).join(', ')}]`];
  if (Object.keys(env).length > 0) {
    lines.push('', '[mcp_servers.patchdiff.env]', ...Object.entries(env).map(([name, value]) => `${name} = ${tomlText(value)}`));
  }
  return `${lines.join('\n')}\n`;
}

/** JSON's escapes are TOML's; DEL, which JSON leaves as it is, TOML wants escaped. */
function tomlText(value: string): string {
  return JSON.stringify(value).replaceAll('\u007F', '\\u007f');
}
