import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunningProcess {
  child: ChildProcess;
  ended: Promise<Ended>;
}

/** Starts a Node process on these arguments, collecting what it says. */
export function startNode(args: readonly string[], options: SpawnOptions & { input?: string } = {}): RunningProcess {
  const { input, ...spawnOptions } = options;
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'], ...spawnOptions });
  const said = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  if (input !== undefined) child.stdin?.end(input);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...said }));
  });
  return { child, ended };
}

/** Runs it to its end. */
export function runNode(args: readonly string[], options: SpawnOptions & { input?: string } = {}): Promise<Ended> {
  return startNode(args, { input: '', ...options }).ended;
}
