import type { ProductDetail } from '../../worker/kb/contract'

const facts = {
  cve: 'so CVE records write it',
  kev: 'so CISA’s KEV writes it',
  cpe: 'so the CPE dictionary wrote it',
}

export const AliasList = ({ aliases }: Pick<ProductDetail, 'aliases'>) =>
  aliases.map(({ name, fact }, at) => (
    <span key={name} title={facts[fact]}>
      {at > 0 && ', '}
      {name}
    </span>
  ))
