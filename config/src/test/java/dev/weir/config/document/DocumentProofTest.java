package dev.weir.config.document;

import static dev.weir.config.document.DocumentProof.CHECKSUM;
import static dev.weir.config.document.DocumentProof.CLOSED;
import static dev.weir.config.document.DocumentProof.NONE;
import static dev.weir.config.document.DocumentProof.WRONG_CHECKSUM;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class DocumentProofTest {
    private static final DocumentReader READER = TestFactories.reader();

    private static DocumentProof proof(String text, Format format) {
        return READER.proof(text.getBytes(UTF_8), format);
    }

    private static boolean isClosed(byte[] content, Format format) {
        DocumentProof proof = READER.proof(content, format);
        return proof == CLOSED || proof == CHECKSUM;
    }

    private static String sealed(String text) throws Exception {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
        return text + "# sha256: " + HexFormat.of().formatHex(digest);
    }

    @Test
    void theNotationMayProveTheEnd() {
        assertEquals(CLOSED, proof("{\"limits\":{}}", Format.JSON));
        assertEquals(NONE, proof("{\"limits\":{}", Format.JSON));
        assertEquals(NONE, proof("limits: {}\n", Format.YAML));
        assertEquals(CLOSED, proof("limits: {}\n...\n", Format.YAML));
        assertEquals(CLOSED, proof("limits: {}\n...", Format.YAML));
        assertEquals(NONE, proof("limits: {}\n..", Format.YAML));
        assertEquals(CLOSED, proof("{ limits: {} }", Format.YAML));
        assertEquals(NONE, proof("a: |\n  text\n  ...\n", Format.YAML));
        assertEquals(NONE, proof("{\"limits\":{}}", Format.TREE));
        assertEquals(NONE, proof("", Format.YAML));
    }

    @Test
    void aChecksumProvesAllBeforeIt() throws Exception {
        String text = sealed("limits:\r\n");
        assertEquals(CHECKSUM, proof(text, Format.YAML));
        assertEquals(CHECKSUM, proof(text + "\r\n\n", Format.YAML));
        assertTrue(isClosed(text.getBytes(UTF_8), Format.YAML));
        assertEquals(WRONG_CHECKSUM, proof(text.replace("limits", "limit"), Format.YAML));
        assertEquals(WRONG_CHECKSUM, proof(text.substring(0, text.length() - 1), Format.YAML));
        assertEquals(NONE, proof(text + "\nmore: 1\n", Format.YAML));
        String both = sealed("limits: {}\n...\n").replace("{}", "{ }");
        assertEquals(WRONG_CHECKSUM, proof(both, Format.YAML));
        assertFalse(isClosed(both.getBytes(UTF_8), Format.YAML));
    }

    /** No start of a document that proves its end proves it too, but for spaces and comments after the end. */
    @Test
    void noStartOfADocumentIsClosed() throws Exception {
        for (Format format : new Format[] {Format.YAML, Format.JSON}) {
            String text = SampleDocuments.ALL.get(format).stripTrailing();
            byte[] whole = text.getBytes(UTF_8);
            assertTrue(isClosed(whole, format));
            for (int length = 0; length < whole.length; length++) {
                assertFalse(isClosed(Arrays.copyOf(whole, length), format), "" + length);
            }
        }
        byte[] sealed = sealed(SampleDocuments.ALL.get(Format.YAML).replace("...\n", ""))
                .getBytes(UTF_8);
        for (int length = 0; length < sealed.length; length++) {
            assertFalse(isClosed(Arrays.copyOf(sealed, length), Format.YAML), "" + length);
        }
    }
}
