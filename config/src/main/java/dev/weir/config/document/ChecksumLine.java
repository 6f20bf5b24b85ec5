package dev.weir.config.document;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;

/** The digest of a document in a comment that is its last line. */
final class ChecksumLine {
    private static final String MARK = "# sha256:";

    private ChecksumLine() {}

    /** NONE, CHECKSUM or WRONG_CHECKSUM. */
    static DocumentProof proof(byte[] content) {
        int end = content.length;
        while (end > 0 && content[end - 1] <= ' ' && content[end - 1] >= 0) {
            end--;
        }
        int start = end;
        while (start > 0 && content[start - 1] != '\n' && content[start - 1] != '\r') {
            start--;
        }
        String line = new String(content, start, end - start, StandardCharsets.ISO_8859_1);
        if (!line.startsWith(MARK)) {
            return DocumentProof.NONE;
        }
        String given = line.substring(MARK.length()).trim().toLowerCase(Locale.ROOT);
        return given.equals(digest(Arrays.copyOf(content, start)))
                ? DocumentProof.CHECKSUM
                : DocumentProof.WRONG_CHECKSUM;
    }

    private static String digest(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
