import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A container engine's API as far as one container's life needs it: nothing runs, and every request is noted. */
export interface StandInDocker {
  /** For DOCKER_HOST. */
  host: string;
  /** What was asked, in order: `POST /containers/create`, … */
  requests: string[];
  /** The body of the last create. */
  created: () => Record<string, unknown>;
  close(): Promise<void>;
}

const ID = 'c0ffee'.padEnd(64, '0');

/** Starts it; the container it pretends to run publishes 5432 on `port` and says `log`. */
export async function startStandInDocker(port: number, log: readonly string[]): Promise<StandInDocker> {
  const requests: string[] = [];
  let created: Record<string, unknown> = {};
  const answers: Record<string, (response: ServerResponse, body: string) => void> = {
    'GET /_ping': (response) => response.end('OK'),
    'GET /info': (response) =>
      json(response, { ServerVersion: '27.0', OperatingSystem: 'stand-in', OSType: 'linux', Architecture: 'x86_64' }),
    'GET /images/json': (response) => json(response, []),
    'GET /images/{}/json': (response) => json(response, { Id: 'sha256:1', RepoTags: [], Config: {} }),
    'POST /images/create': (response) => json(response, { status: 'done' }),
    'POST /containers/create': (response, body) => {
      created = JSON.parse(body) as Record<string, unknown>;
      json(response, { Id: ID, Warnings: [] }, 201);
    },
    'POST /containers/{}/start': (response) => response.writeHead(204).end(),
    'POST /containers/{}/stop': (response) => response.writeHead(204).end(),
    'DELETE /containers/{}': (response) => response.writeHead(204).end(),
    'GET /containers/{}/json': (response) => json(response, inspection(port)),
    'GET /containers/{}/logs': (response) => {
      for (const line of log) response.write(frame(`${line}\n`));
      response.end();
    },
    'GET /containers/json': (response) => json(response, []),
  };
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const name = nameOf(request);
      requests.push(name);
      const answer = answers[name];
      if (answer) answer(response, body);
      else json(response, { message: `the stand-in does not know ${name}` }, 501);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    created: () => created,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function nameOf(request: IncomingMessage): string {
  const path = (request.url ?? '').replace(/\?.*/, '').replace(/^\/v[\d.]+/, '');
  const image = path.replace(/^\/images\/.+\/json$/, '/images/{}/json');
  return `${request.method ?? ''} ${image.replace(/^\/containers\/[0-9a-f]{64}/, '/containers/{}')}`;
}

function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function read(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

/** Docker's framing of an attached stream: kind, three zero bytes, length. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const header = Buffer.alloc(8);
  header.writeUInt8(1, 0);
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

function inspection(port: number): Record<string, unknown> {
  return {
    Id: ID,
    Name: '/stand-in',
    Config: { Hostname: 'stand-in', Labels: {}, Env: [] },
    HostConfig: { PortBindings: {} },
    State: { Status: 'running', Running: true, StartedAt: '2026-01-01T00:00:00Z', FinishedAt: '0001-01-01T00:00:00Z' },
    NetworkSettings: {
      Ports: { '5432/tcp': [{ HostIp: '0.0.0.0', HostPort: String(port) }] },
      Networks: { bridge: { NetworkID: 'n', IPAddress: '172.17.0.2', Gateway: '172.17.0.1' } },
    },
  };
}
