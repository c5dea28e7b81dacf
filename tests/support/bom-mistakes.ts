import type { aJsonBom } from './boms'

/** One mistake each, and its message. */
export const cyclonedxMistakes: [
  name: string,
  (bom: Record<string, unknown> & ReturnType<typeof aJsonBom>) => unknown,
  string,
][] = [
  ['another format', (bom) => ({ ...bom, bomFormat: 'Other' }), 'bomFormat: '],
  ['a version of no use', (bom) => ({ ...bom, version: 'one' }), 'version: '],
  ['no array', (bom) => ({ ...bom, components: {} }), 'components: Must be an array'],
  [
    'no name',
    (bom) => ({ ...bom, components: [bom.components[0], { type: 'library', version: '1' }] }),
    'components[1].name: ',
  ],
  [
    'an unknown type',
    (bom) => ({ ...bom, components: [{ type: 'spoon', name: 'a', version: '1' }] }),
    'components[0].type: ',
  ],
  [
    'a scope of no use',
    (bom) => ({ ...bom, components: [{ ...bom.components[0], scope: 'sometimes' }] }),
    'components[0].scope: ',
  ],
  [
    'a purl that is a number',
    (bom) => ({ ...bom, components: [{ ...bom.components[0], purl: 7 }] }),
    'components[0].purl: ',
  ],
  ['a dependency without a ref', (bom) => ({ ...bom, dependencies: [{ dependsOn: [] }] }), 'dependencies[0].ref: '],
  [
    'a wrong nested component',
    (bom) => ({ ...bom, components: [{ ...bom.components[0], components: [{ type: 'library', version: '1' }] }] }),
    'components[0].components[0].name: ',
  ],
]
