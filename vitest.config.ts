import { defineConfig } from 'vitest/config';

// Rooms whose tests need no database: a run of these alone starts no server.
const PURE = ['text', 'transaction', 'nearmiss', 'scopes', 'workspace', 'conventions'].map((room) => `test/${room}/**/*.test.ts`);

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // A fresh module graph for each of 160 files costs more than a fifth of the whole run; no test file may leave module state behind.
    isolate: false,
    // One more than the cores of the gate's machine: tests that wait for locks, processes and servers leave room.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'pure', include: PURE } },
      {
        extends: true,
        test: {
          name: 'database',
          include: ['test/**/*.test.ts'],
          exclude: PURE,
          globalSetup: ['test/helpers/global-setup.ts'],
        },
      },
    ],
  },
});
