import type { TestProject } from 'vitest/node';
import { built } from './build.ts';
import { startTestServer } from './server.ts';
import { buildTemplate, dropTemplate, type Template } from './template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    template: Template;
  }
}

/** Once a run that has a database test: the build that process tests start, the server, and the template that each test file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await built();
  const server = await startTestServer(process.env);
  try {
    const template = await buildTemplate(server.url);
    project.provide('template', template);
    return async () => {
      await dropTemplate(template);
      await server.stop();
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
