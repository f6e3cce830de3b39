import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { main } from '../../src/cli/program.ts';
import { built } from './build.ts';
import { runNode, type Ended } from './process.ts';

export type Cli = (args: readonly string[], env?: NodeJS.ProcessEnv) => Promise<Ended>;

/**
 * The real command line as a process of its own, with an environment that names no database but the one given: what the
 * machine of a test run happens to have set must not matter.
 */
export async function commandLine(environment: () => NodeJS.ProcessEnv, cwd: string): Promise<Cli> {
  const program = path.join(await built(), 'cli', 'main.js');
  return (args, env = {}) => runNode([program, ...args], { cwd, env: environmentOf(environment(), cwd, env) });
}

/**
 * The same for many calls of few commands: the first call of each is a process, its repeats are the same program inside this one, with
 * the same arguments, environment, files and output, without the time that a process takes to start.
 */
export async function warmCommandLine(environment: () => NodeJS.ProcessEnv, cwd: string): Promise<Cli> {
  const cold = await commandLine(environment, cwd);
  const seen = new Set<string>();
  return (args, env = {}) => {
    const command = args.find((arg) => !arg.startsWith('-')) ?? '';
    if (seen.has(command)) return runHere(args, environmentOf(environment(), cwd, env), cwd);
    seen.add(command);
    return cold(args, env);
  };
}

/** The program on these arguments inside this process. */
export async function runHere(args: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  const into = (name: keyof typeof said): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        said[name] += chunk.toString('utf8');
        done();
      },
    });
  const host = { env, cwd, stdin: Readable.from([]), stdout: into('stdout'), stderr: into('stderr'), onInterrupt: () => () => undefined };
  const code = await main(args, { host, serveMcp: () => Promise.reject(new Error('a server is a process of its own')) });
  return { code, signal: null, ...said };
}

function environmentOf(given: NodeJS.ProcessEnv, cwd: string, more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: cwd, NO_COLOR: '1', ...given, ...more };
}
