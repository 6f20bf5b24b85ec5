package dev.weir.config.document;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;

/** The digest of a document in a comment that is its last line: {@code # sha256:} and 64 hexadecimal digits. */
public final class ChecksumLine {
    private static final String MARK = "# sha256:";

    private ChecksumLine() {}

    /** NONE, CHECKSUM or WRONG_CHECKSUM. */
    static DocumentProof proof(byte[] content) {
        int start = lastLine(content);
        String line = text(content, start);
        if (!line.startsWith(MARK)) {
            return DocumentProof.NONE;
        }
        String given = line.substring(MARK.length()).trim().toLowerCase(Locale.ROOT);
        return given.equals(digest(Arrays.copyOf(content, start)))
                ? DocumentProof.CHECKSUM
                : DocumentProof.WRONG_CHECKSUM;
    }

    /** The content with a checksum as its last line, in place of the one that it may have. */
    public static byte[] added(byte[] content) {
        int start = lastLine(content);
        byte[] body = text(content, start).startsWith(MARK) ? Arrays.copyOf(content, start) : content;
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.writeBytes(body);
        if (body.length > 0 && body[body.length - 1] != '\n') {
            whole.write('\n');
        }
        String line = MARK + " " + digest(whole.toByteArray()) + "\n";
        whole.writeBytes(line.getBytes(StandardCharsets.US_ASCII));
        return whole.toByteArray();
    }

    /** Where the last line begins that is not blank. */
    private static int lastLine(byte[] content) {
        int start = end(content);
        while (start > 0 && content[start - 1] != '\n' && content[start - 1] != '\r') {
            start--;
        }
        return start;
    }

    private static int end(byte[] content) {
        int end = content.length;
        while (end > 0 && content[end - 1] <= ' ' && content[end - 1] >= 0) {
            end--;
        }
        return end;
    }

    private static String text(byte[] content, int start) {
        return new String(content, start, Math.max(0, end(content) - start), StandardCharsets.ISO_8859_1);
    }

    /** The SHA-256 of the bytes in 64 hexadecimal digits. */
    public static String digest(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
