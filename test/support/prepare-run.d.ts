export default function prepareRun(): void;
