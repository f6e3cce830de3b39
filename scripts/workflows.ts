export { main } from '../test/bench/workflows/workflows.ts';
