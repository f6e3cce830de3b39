import { afterEach, expect, test, vi } from 'vitest';
import { startTestServer } from '../helpers/server.ts';
import { startStandInDocker } from '../helpers/stand-in-docker.ts';

const READY = 'LOG:  database system is ready to accept connections';

afterEach(() => vi.unstubAllEnvs());

test('TEST_DATABASE_URL wins over everything, and DATABASE_URL counts for nothing', async () => {
  const env = { TEST_DATABASE_URL: 'postgres://there/x', TEST_POSTGRES: 'container', DATABASE_URL: 'postgres://production/x' };
  expect((await startTestServer(env)).url).toBe('postgres://there/x');
  await expect(startTestServer({ TEST_POSTGRES: 'sqlite', DATABASE_URL: 'postgres://production/x' })).rejects.toThrow(
    /embedded or container/,
  );
});

test('the container provider starts the image, waits for the second ready line, gives its mapped port, and removes it', async () => {
  const docker = await startStandInDocker(45_678, [READY, READY]);
  vi.stubEnv('DOCKER_HOST', docker.host);
  vi.stubEnv('TESTCONTAINERS_RYUK_DISABLED', 'true');
  try {
    const server = await startTestServer({ TEST_POSTGRES: 'container', TEST_POSTGRES_IMAGE: 'postgres:17' });
    expect(server.url).toBe('postgres://postgres:test@127.0.0.1:45678/postgres');
    expect(docker.created()).toMatchObject({
      Image: 'postgres:17',
      Env: ['POSTGRES_PASSWORD=test', 'POSTGRES_INITDB_ARGS=--no-sync'],
      Cmd: expect.arrayContaining(['fsync=off']) as string[],
      ExposedPorts: { '5432/tcp': {} },
    });
    await server.stop();
    expect(docker.requests.filter((request) => !request.startsWith('GET'))).toEqual([
      'POST /containers/create',
      'POST /containers/{}/start',
      'POST /containers/{}/stop',
      'DELETE /containers/{}',
    ]);
  } finally {
    await docker.close();
  }
});
