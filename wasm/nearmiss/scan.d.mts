/** The text of scan.ts. */
export declare function scanSource(): string;
