type Names<Text extends string, Found = never> = Text extends `${infer First} ${infer Others}`
  ? Names<Others, Found | First>
  : Found | Text

/** For a schema that picks these fields. */
export const fieldMask = <const Text extends string>(text: Text) =>
  Object.fromEntries(text.split(' ').map((name) => [name, true])) as Record<Names<Text>, true>
