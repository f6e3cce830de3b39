import net from 'node:net';

/** Between a client and PostgreSQL: counts what the client asks the server to run. */
export interface CountingProxy {
  /** The same database, reached through the proxy. */
  url: string;
  /** Execute (extended protocol) and Query (simple protocol) messages since the last call. */
  takeStatements(): number;
  /** Sync and Query messages since the last call: each is one round trip. */
  takeRoundTrips(): number;
  /** Bytes from client to server, and back, since the last call. */
  takeBytes(): { sent: number; received: number };
  close(): Promise<void>;
}

const EXECUTE = 0x45;
const QUERY = 0x51;
const SYNC = 0x53;

/** Calls back with the type of each frontend message of one connection; the start-up message has none. */
function messageTypes(onMessage: (type: number) => void): (chunk: Buffer) => void {
  let pending = Buffer.alloc(0);
  let started = false;
  return (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const head = started ? 1 : 0;
      if (pending.length < head + 4) return;
      const length = head + pending.readInt32BE(head);
      if (pending.length < length) return;
      if (started) onMessage(pending[0] ?? 0);
      started = true;
      pending = pending.subarray(length);
    }
  };
}

export async function startCountingProxy(serverUrl: string): Promise<CountingProxy> {
  const target = new URL(serverUrl);
  let statements = 0;
  let roundTrips = 0;
  let bytes = { sent: 0, received: 0 };
  const sockets = new Set<net.Socket>();
  const proxy = net.createServer((client) => {
    const server = net.connect(Number(target.port || 5432), target.hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        server.destroy();
      });
    }
    client.on(
      'data',
      messageTypes((type) => {
        if (type === EXECUTE || type === QUERY) statements += 1;
        if (type === SYNC || type === QUERY) roundTrips += 1;
      }),
    );
    client.on('data', (chunk) => (bytes.sent += chunk.length));
    server.on('data', (chunk) => (bytes.received += chunk.length));
    client.pipe(server);
    server.pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as net.AddressInfo).port);
  const take = (count: number, reset: () => void): number => {
    reset();
    return count;
  };
  return {
    url: url.href,
    takeStatements: () => take(statements, () => (statements = 0)),
    takeRoundTrips: () => take(roundTrips, () => (roundTrips = 0)),
    takeBytes: () => {
      const taken = bytes;
      bytes = { sent: 0, received: 0 };
      return taken;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => proxy.close(() => resolve()));
    },
  };
}
