/** All characters that an XML document cannot hold, escaped or not (XML 1.0 §2.2, Char). */
export const notXml = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
