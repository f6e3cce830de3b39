/**
 * The part of AssemblyScript's compiler that scripts/kernel.ts uses. The package's own declarations would lend every file of ours
 * the globals of its language, among them an `at` of arrays that is never undefined.
 */
declare const asc: {
  main(
    args: string[],
    host: {
      readFile: (name: string) => string | null;
      writeFile: (name: string, contents: Uint8Array | string) => void;
      listFiles: () => string[];
      stderr: { write: (chunk: string | Uint8Array) => void };
    },
  ): Promise<{ error: Error | null }>;
};
export default asc;
