import { expect, test } from 'vitest'
import { computeAdjustedCvss2, computeCvssScore } from '../../worker/domain/scores/cvss-score'

test.each([
  ['AV:N/AC:L/Au:N/C:P/I:N/A:N', 5],
  ['(AV:L/AC:H/Au:N/C:C/I:C/A:C/E:U)', 6.2],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', 10],
  ['CVSS:3.0/S:U/C:N/I:N/A:L/AV:N/AC:L/PR:N/UI:N/E:U', 5.3],
  ['CVSS:3.1/AV:L/AC:H/PR:L/UI:N/S:C/C:H/I:H/A:N', 7.5],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 9.3],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:U/', 8.1],
  ['CVSS:4.0/AV:N/AC:L/AT:P/PR:H/UI:A/VC:N/VI:H/VA:L/SC:N/SI:N/SA:L', 5.7],
  ['AV:N/AC:L', null],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H', null],
  ['CVSS:5.0/AV:N', null],
  ['', null],
])('%s scores %s', (vector, score) => expect(computeCvssScore(vector)).toBe(score))

const unknown = { is_exploitable: false, is_confirmed: false, rating_vector: '' }
const remote = 'AV:N/AC:L/Au:N/C:P/I:P/A:P'
test.each([
  ['nothing more is known', unknown, [7.5, null, null]],
  ['it is exploitable', { ...unknown, is_exploitable: true }, [7.5, 7.5, null]],
  ['it is confirmed', { ...unknown, is_confirmed: true }, [7.5, 7.5, null]],
  ['the asset is critical', { ...unknown, rating_vector: 'Cr:H' }, [7.5, null, 8.8]],
  ['the asset is of medium criticality', { ...unknown, rating_vector: 'Cr:M' }, [7.5, null, 8.5]],
  ['the asset is of low criticality', { ...unknown, rating_vector: 'Cr:L' }, [7.5, null, 8.3]],
  ['the asset is internal', { ...unknown, rating_vector: 'E:I' }, [7.5, null, 5.6]],
  ['the asset is critical and internal', { ...unknown, rating_vector: 'Cr:H/E:I/D:L' }, [7.5, null, 6.6]],
  ['the asset is critical and external', { ...unknown, rating_vector: 'Cr:H/E:E/D:H' }, [7.5, null, 8.8]],
  ['only its distribution is known', { ...unknown, rating_vector: 'E:E/D:L' }, [7.5, null, null]],
])('a CVSS v2 score is adjusted when %s', (_, known, adjusted) => {
  expect(computeAdjustedCvss2(remote, known)).toEqual(adjusted)
})

test('only a CVSS v2 vector is adjusted', () => {
  expect(computeAdjustedCvss2('CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', unknown)).toBeNull()
  expect(computeAdjustedCvss2('AV:N', unknown)).toBeNull()
})
