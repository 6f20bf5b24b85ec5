package dev.weir.config.document;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The digest of a document in a comment that is its last line: {@code # sha256:} and 64 hexadecimal digits. */
public final class ChecksumLine {
    private static final String MARK = "# sha256:";

    /** What is before the line, and what it says. Only spaces and ends of lines may follow. */
    private static final Pattern SEALED =
            Pattern.compile("(|.*[\r\n])" + MARK + "([^\r\n]*+)[\\x00-\\x20]*+", Pattern.DOTALL);

    private ChecksumLine() {}

    /** NONE, CHECKSUM or WRONG_CHECKSUM. */
    static DocumentProof proof(byte[] content) {
        Matcher sealed = SEALED.matcher(new String(content, StandardCharsets.ISO_8859_1));
        if (!sealed.matches()) {
            return DocumentProof.NONE;
        }
        String digest = digest(sealed.group(1).getBytes(StandardCharsets.ISO_8859_1));
        return sealed.group(2).trim().equalsIgnoreCase(digest) ? DocumentProof.CHECKSUM : DocumentProof.WRONG_CHECKSUM;
    }

    /** The content with a checksum as its last line, in place of the one that it may have. */
    public static byte[] added(byte[] content) {
        String text = new String(content, StandardCharsets.ISO_8859_1);
        Matcher sealed = SEALED.matcher(text);
        String body = sealed.matches() ? sealed.group(1) : text;
        String whole = body.isEmpty() || body.endsWith("\n") ? body : body + "\n";
        String digest = digest(whole.getBytes(StandardCharsets.ISO_8859_1));
        return (whole + MARK + " " + digest + "\n").getBytes(StandardCharsets.ISO_8859_1);
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
