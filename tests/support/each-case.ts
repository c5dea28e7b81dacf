import { test } from 'vitest'

/** `test.each` of cases by their names, which no two share. */
export const eachCase =
  <const Given extends readonly unknown[]>(cases: Record<string, Given>) =>
  (title: string, check: (...given: [...Given]) => void | Promise<void>) =>
    test.each(Object.entries(cases))(title, (_, given) => check(...given))
