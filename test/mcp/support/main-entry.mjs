// The server process as a host starts it.
import { main } from '../../../dist/mcp/main.js';

process.exitCode = await main(process.argv.slice(2));
