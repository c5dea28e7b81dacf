import type { ProductDetail } from '../../worker/kb/contract'

const facts = {
  cve: 'the name in CVE records',
  kev: 'the name in CISA’s KEV',
  cpe: 'an old name of the CPE dictionary',
}

export const AliasList = ({ aliases }: Pick<ProductDetail, 'aliases'>) =>
  aliases.map(({ name, fact }, at) => (
    <span key={name} title={facts[fact]}>
      {at > 0 && ', '}
      {name}
    </span>
  ))
