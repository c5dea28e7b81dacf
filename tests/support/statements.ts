import type { Statement } from '../../worker/domain/versions/affected'
import { parseCve5Ranges } from '../../worker/domain/versions/cve5-status'
import { parseOsvRanges } from '../../worker/domain/versions/osv-events'

export const heartbleed: Statement[] = [
  {
    source: 'nvd',
    ranges: [
      'a:1.0.1',
      'a:1.0.1:beta1',
      ...[...'abcdef'].map((letter) => `a:1.0.1${letter}`),
      { cpe: 'a', ge: '1.0.1', lt: '1.0.1g' },
    ],
  },
]
export const log4shellByCpe: Statement[] = [
  {
    source: 'nvd',
    ranges: [
      'a:2.0:-',
      'a:2.0:beta9',
      'a:2.0:rc1',
      { cpe: 'a', ge: '2.0.1', lt: '2.3.1' },
      { cpe: 'a', ge: '2.4.0', lt: '2.12.2' },
      { cpe: 'a', ge: '2.13.0', lt: '2.15.0' },
    ],
  },
]
export const log4shellByMaven: Statement[] = [
  {
    source: 'ghsa/GHSA-jfh8-c2jp-5v3q',
    ranges: parseOsvRanges(
      {
        ranges: [
          { type: 'ECOSYSTEM', events: [{ introduced: '2.13.0' }, { fixed: '2.15.0' }] },
          { type: 'ECOSYSTEM', events: [{ introduced: '2.0-beta9' }, { fixed: '2.3.1' }] },
          { type: 'ECOSYSTEM', events: [{ introduced: '2.4' }, { fixed: '2.12.2' }] },
        ],
      },
      'maven',
    ),
  },
]
export const log4shellByCna: Statement[] = [
  {
    source: 'cve',
    ranges: parseCve5Ranges({
      versions: [
        {
          version: '2.0-beta9',
          status: 'affected',
          lessThan: 'log4j-core*',
          versionType: 'custom',
          changes: [
            { at: '2.3.1', status: 'unaffected' },
            { at: '2.4', status: 'affected' },
            { at: '2.12.2', status: 'unaffected' },
            { at: '2.13.0', status: 'affected' },
            { at: '2.15.0', status: 'unaffected' },
          ],
        },
      ],
    }),
  },
]
export const xz: Statement[] = [
  { source: 'nvd', ranges: ['a:5.6.0', 'a:5.6.1'] },
  {
    source: 'cve',
    ranges: parseCve5Ranges({
      defaultStatus: 'unaffected',
      versions: [
        { version: '5.6.0', status: 'affected' },
        { version: '5.6.1', status: 'affected' },
      ],
    }),
  },
]
export const regresshion: Statement[] = [
  {
    source: 'nvd',
    ranges: ['a:4.4:-', 'a:8.5:p1', { cpe: 'a', lt: '4.4' }, { cpe: 'a', ge: '8.6', lt: '9.8' }],
  },
  {
    source: 'cve',
    ranges: parseCve5Ranges({
      defaultStatus: 'unaffected',
      versions: [
        { version: '0', lessThan: '4.4p1', status: 'affected', versionType: 'custom' },
        { version: '8.5p1', lessThanOrEqual: '9.7p1', status: 'affected', versionType: 'custom' },
      ],
    }),
  },
]

export const splitNames = (names: string) => names.split(' ')
