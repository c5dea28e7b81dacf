import { strToU8, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { readCweZip } from '../../worker/feeds/taxonomy/cwe-xml'

const aCatalogue = (doctype: string, text: string) =>
  new Blob([
    zipSync({
      'cwec.xml': strToU8(`<?xml version="1.0"?>${doctype}<Weakness_Catalog Version="4"><Weaknesses>
        <Weakness ID="1" Name="One" Abstraction="Base" Status="Draft"><Description>${text}</Description></Weakness>
      </Weaknesses></Weakness_Catalog>`),
    }),
  ]).stream()

test('a catalogue of XML fetches nothing that it names, and grows by none of its entities', async () => {
  expect((await readCweZip(aCatalogue('', 'Plain'))).items).toMatchObject([{ description: 'Plain' }])
  const outside = '<!DOCTYPE c [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
  const growing = '<!DOCTYPE c [<!ENTITY a "lol"><!ENTITY e "&a;&a;&a;&a;">]>'
  for (const doctype of [outside, growing])
    await expect(readCweZip(aCatalogue(doctype, '&e;'))).rejects.toThrow(/entity/)
})
