/**
 * Stands for what reads certificates of authenticators, in the deployed script (`alias` in `wrangler.toml`). Registration asks for no attestation, and
 * browsers then pass no certificate on (WebAuthn 3, section 5.1.3): each new isolate would read 230 kB in vain. Of ASN.1 the two numbers of a
 * signature are left (section 6.5.5).
 */
function refuseCertificate(): never {
  throw new Error('Certificates of authenticators are not read')
}

const signature = Symbol('Ecdsa-Sig-Value')

export const AsnParser = {
  parse(der: Uint8Array, schema: unknown) {
    if (schema !== signature) refuseCertificate()
    const start = der[1] === 0x81 ? 3 : 2
    const r = readInteger(der, start)
    const s = readInteger(der, r.end)
    if (der[0] !== 0x30 || der[start - 1] !== der.length - start || s.end !== der.length) refuseCertificate()
    return { r: r.bytes, s: s.bytes }
  },
}

/** A positive one of DER (X.690, section 8.3); a library would take 24 kB of the script. */
function readInteger(der: Uint8Array, at: number) {
  const [tag, length = 0, first = 0x80] = der.subarray(at)
  const end = at + 2 + length
  if (tag !== 0x02 || length === 0 || first > 0x7f || end > der.length) refuseCertificate()
  return { bytes: der.slice(at + 2, end), end }
}

export {
  signature as ECDSASigValue,
  refuseCertificate as AuthorityKeyIdentifierExtension,
  refuseCertificate as BasicConstraints,
  refuseCertificate as Certificate,
  refuseCertificate as CRLDistributionPointsExtension,
  refuseCertificate as ECParameters,
  refuseCertificate as ExtendedKeyUsage,
  refuseCertificate as id_ce_basicConstraints,
  refuseCertificate as id_ce_extKeyUsage,
  refuseCertificate as id_ce_keyDescription,
  refuseCertificate as id_ce_subjectAltName,
  refuseCertificate as id_ecdsaWithSHA256,
  refuseCertificate as id_ecdsaWithSHA384,
  refuseCertificate as id_ecdsaWithSHA512,
  refuseCertificate as id_ecPublicKey,
  refuseCertificate as id_ml_dsa_44,
  refuseCertificate as id_ml_dsa_65,
  refuseCertificate as id_ml_dsa_87,
  refuseCertificate as id_rsaEncryption,
  refuseCertificate as id_secp256r1,
  refuseCertificate as id_secp384r1,
  refuseCertificate as id_sha1WithRSAEncryption,
  refuseCertificate as id_sha256WithRSAEncryption,
  refuseCertificate as id_sha384WithRSAEncryption,
  refuseCertificate as id_sha512WithRSAEncryption,
  refuseCertificate as KeyDescription,
  refuseCertificate as OctetString,
  refuseCertificate as RSAPublicKey,
  refuseCertificate as SubjectAlternativeName,
  refuseCertificate as SubjectKeyIdentifierExtension,
  refuseCertificate as X509Certificate,
  refuseCertificate as X509ChainBuilder,
  refuseCertificate as X509Crl,
}
