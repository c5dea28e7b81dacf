/**
 * Stands for `@peculiar/x509`, its helper and `@peculiar/asn1-android` in the deployed script (`alias` in `wrangler.toml`). Registration asks for no
 * attestation, and browsers then pass no certificate on (WebAuthn 3, section 5.1.3): each new isolate would read 100 kB in vain.
 */
function refuseCertificate(): never {
  throw new Error('Certificates of authenticators are not read')
}

export {
  refuseCertificate as AuthorityKeyIdentifierExtension,
  refuseCertificate as CRLDistributionPointsExtension,
  refuseCertificate as id_ce_keyDescription,
  refuseCertificate as KeyDescription,
  refuseCertificate as SubjectKeyIdentifierExtension,
  refuseCertificate as X509Certificate,
  refuseCertificate as X509ChainBuilder,
  refuseCertificate as X509Crl,
}
