/** The document of all examples: initialize_target's example creates it, the others follow it through its versions. */
export const EXAMPLE_TARGET = '3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b';
