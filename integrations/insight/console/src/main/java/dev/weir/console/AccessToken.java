package dev.weir.console;

import dev.weir.internal.Require;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Set;

/** A token of this name that opens the console, in a file that only its owner may read. */
record AccessToken(String name, boolean mayWrite, Path file, String secret) {
    private static final int RANDOM_BYTES = 32;
    private static final int MIN_CHARS = 32;
    private static final int MAX_BYTES = 4096;
    private static final boolean IS_POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    private static final Set<PosixFilePermission> OF_OTHERS = EnumSet.complementOf(EnumSet.of(
            PosixFilePermission.OWNER_READ,
            PosixFilePermission.OWNER_WRITE,
            PosixFilePermission.OWNER_EXECUTE,
            PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.OTHERS_EXECUTE));

    static String random() {
        byte[] bits = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(bits);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bits);
    }

    static AccessToken temporary(String name, boolean mayWrite) throws IOException {
        return written(name, mayWrite, Files.createTempFile("weir-console-", ".token", ownersOnly()));
    }

    /** The token in a file, made with a new one if it is missing. Throws if others may read the file, or it has no token. */
    static AccessToken in(String name, boolean mayWrite, Path file) throws IOException {
        if (Files.notExists(file)) {
            return written(name, mayWrite, Files.createFile(file, ownersOnly()));
        }
        if (IS_POSIX && Files.getPosixFilePermissions(file).stream().anyMatch(OF_OTHERS::contains)) {
            throw new IllegalArgumentException("file must be readable by its owner only (chmod 600), was " + file
                    + " with " + PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        }
        String text = Files.size(file) > MAX_BYTES ? "" : Files.readString(file).strip();
        Require.that(
                text.length() >= MIN_CHARS && text.chars().allMatch(c -> c > ' ' && c <= '~'),
                "file must have a token of " + MIN_CHARS + " or more printable ASCII characters and nothing else",
                file);
        return new AccessToken(name, mayWrite, file, text);
    }

    private static AccessToken written(String name, boolean mayWrite, Path file) throws IOException {
        String secret = random();
        Files.writeString(file, secret + "\n");
        return new AccessToken(name, mayWrite, file, secret);
    }

    private static FileAttribute<?>[] ownersOnly() {
        return IS_POSIX
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE))
                }
                : new FileAttribute<?>[0];
    }

    /** True if this is the token; takes as long for any text of its length. */
    boolean is(String given) {
        return MessageDigest.isEqual(
                secret.getBytes(StandardCharsets.US_ASCII), given.getBytes(StandardCharsets.UTF_8));
    }

    /** The name and the file. */
    @Override
    public String toString() {
        return name + " in " + file;
    }
}
