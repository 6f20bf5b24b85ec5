package dev.weir.config;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** The last line {@code # sha256: <64 hexadecimal digits>} of a document, over all bytes before that line. */
final class Checksum {
    private static final String PREFIX = "# sha256: ";
    private static final Pattern LINE = Pattern.compile("# sha256:.*");

    private Checksum() {}

    /** The content with a checksum of it as the last line, in place of the one that it has. */
    static byte[] added(byte[] content) {
        byte[] body = isLine(content, lastLine(content)) ? Arrays.copyOf(content, lastLine(content)) : content;
        ByteArrayOutputStream sealed = new ByteArrayOutputStream();
        sealed.writeBytes(body);
        if (body.length > 0 && body[body.length - 1] != '\n') {
            sealed.write('\n');
        }
        String sum = HexFormat.of().formatHex(sha256(sealed.toByteArray()));
        sealed.writeBytes((PREFIX + sum + "\n").getBytes(StandardCharsets.US_ASCII));
        return sealed.toByteArray();
    }

    private static boolean isLine(byte[] content, int from) {
        String line = new String(content, from, content.length - from, StandardCharsets.ISO_8859_1);
        return LINE.matcher(line.strip()).matches();
    }

    /** Where the last line begins that is not empty. */
    private static int lastLine(byte[] content) {
        int at = content.length;
        while (at > 0 && (content[at - 1] == '\n' || content[at - 1] == '\r')) {
            at--;
        }
        while (at > 0 && content[at - 1] != '\n') {
            at--;
        }
        return at;
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
