export { main } from '../test/bench/bench.ts';
