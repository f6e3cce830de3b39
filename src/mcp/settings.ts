import { parseArgs } from 'node:util';

import { isLogLevel, LOG_LEVELS } from './log.ts';
import type { LogLevel } from './log.ts';
import { isProfile, PROFILE_NAMES } from './profiles.ts';
import type { Profile } from './profiles.ts';
import { isResponseMode, RESPONSE_MODES } from './response-mode.ts';
import type { ResponseMode } from './response-mode.ts';

export interface Settings {
  workspaceRoot: string | null;
  profile: Profile;
  responseMode: ResponseMode;
  logLevel: LogLevel;
  agent: string | undefined;
}

export type SettingsResult = { ok: true; settings: Settings } | { ok: false; message: string };

export const USAGE = `Usage: patchdiff mcp [--workspace <dir>] [--profile ${PROFILE_NAMES.join('|')}]

Serves the Model Context Protocol on stdin and stdout until stdin ends.

  --workspace <dir>       directory that files may be imported from and saved to (PATCHDIFF_WORKSPACE_ROOT)
  --profile <name>        set of tools: ${PROFILE_NAMES.join(', ')} (PATCHDIFF_MCP_PROFILE; default full)
  --response-mode <mode>  ${RESPONSE_MODES.join(' or ')} (PATCHDIFF_MCP_RESPONSE_MODE; default detailed)
  --log-level <level>     ${LOG_LEVELS.join(', ')} (PATCHDIFF_LOG_LEVEL; default warn), to stderr
`;

/** A flag wins over its variable; an empty variable counts as unset. A value that nothing knows is refused, never replaced. */
export function readSettings(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): SettingsResult {
  let flags;
  try {
    flags = parseArgs({
      args: [...argv],
      options: {
        workspace: { type: 'string' },
        profile: { type: 'string' },
        'response-mode': { type: 'string' },
        'log-level': { type: 'string' },
      },
    }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  const from = (flag: string | undefined, variable: string): string | undefined =>
    flag ?? (env[variable] === '' ? undefined : env[variable]);
  const profile = from(flags.profile, 'PATCHDIFF_MCP_PROFILE') ?? 'full';
  if (!isProfile(profile)) return refuse(`unknown tool profile "${profile}"; it is one of ${PROFILE_NAMES.join(', ')}`);
  const responseMode = from(flags['response-mode'], 'PATCHDIFF_MCP_RESPONSE_MODE') ?? 'detailed';
  if (!isResponseMode(responseMode)) return refuse(`unknown response mode "${responseMode}"; it is one of ${RESPONSE_MODES.join(', ')}`);
  const logLevel = from(flags['log-level'], 'PATCHDIFF_LOG_LEVEL') ?? 'warn';
  if (!isLogLevel(logLevel)) return refuse(`unknown log level "${logLevel}"; it is one of ${LOG_LEVELS.join(', ')}`);
  return {
    ok: true,
    settings: {
      workspaceRoot: from(flags.workspace, 'PATCHDIFF_WORKSPACE_ROOT') ?? null,
      profile,
      responseMode,
      logLevel,
      agent: from(undefined, 'PATCHDIFF_ACTOR'),
    },
  };
}

function refuse(message: string): SettingsResult {
  return { ok: false, message };
}
