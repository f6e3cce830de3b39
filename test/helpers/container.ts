import { GenericContainer, Wait } from 'testcontainers';
import type { TestServer } from './server.ts';

/** The opt-in provider: PostgreSQL in a container of whatever runtime testcontainers finds. `TEST_POSTGRES_IMAGE` chooses the image. */
export async function startContainer(env: NodeJS.ProcessEnv): Promise<TestServer> {
  const container = await new GenericContainer(env['TEST_POSTGRES_IMAGE'] ?? 'postgres:18')
    .withEnvironment({ POSTGRES_PASSWORD: 'test', POSTGRES_INITDB_ARGS: '--no-sync' })
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'])
    .withExposedPorts(5432)
    // The image starts a first server to initialise itself; only the second one counts.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .start();
  return {
    url: `postgres://postgres:test@${container.getHost()}:${container.getMappedPort(5432)}/postgres`,
    stop: async () => {
      await container.stop();
    },
  };
}
