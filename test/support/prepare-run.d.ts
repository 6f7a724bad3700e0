export default function prepareRun(): Promise<void>;
