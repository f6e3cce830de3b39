import path from 'node:path';
import { built } from './build.ts';
import { runNode, type Ended } from './process.ts';

export type Cli = (args: readonly string[], env?: NodeJS.ProcessEnv) => Promise<Ended>;

/**
 * The real command line as a process of its own, with an environment that names no database but the one given: what the
 * machine of a test run happens to have set must not matter.
 */
export async function commandLine(environment: () => NodeJS.ProcessEnv, cwd: string): Promise<Cli> {
  const program = path.join(await built(), 'cli', 'main.js');
  return (args, env = {}) =>
    runNode([program, ...args], { cwd, env: { PATH: process.env['PATH'], HOME: cwd, NO_COLOR: '1', ...environment(), ...env } });
}
