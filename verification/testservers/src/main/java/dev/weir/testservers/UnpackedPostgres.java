package dev.weir.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/**
 * The PostgreSQL that is an artifact of Maven, an archive on the class path. It is unpacked once for each user and version, into the
 * directory of temporary files, and stays there: a server that is started by root runs as another user, who cannot read what is in
 * the home of root. Needs {@code tar} and {@code xz}.
 */
final class UnpackedPostgres {
    private UnpackedPostgres() {}

    /** Where the program is, or would be if this system had an archive that can be unpacked. */
    static Path program() {
        String system = System.getProperty("os.name").startsWith("Mac") ? "darwin" : "linux";
        String processor = System.getProperty("os.arch").equals("aarch64") ? "arm_64" : "x86_64";
        @Nullable URL archive = UnpackedPostgres.class.getResource("/postgres-" + system + "-" + processor + ".txz");
        try {
            return archive == null ? Path.of("no-postgres") : folder(archive).resolve("bin/postgres");
        } catch (IOException e) {
            return Path.of("no-postgres");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Path.of("no-postgres");
        }
    }

    private static Path folder(URL archive) throws IOException, InterruptedException {
        Path parent = Path.of(System.getProperty("java.io.tmpdir"));
        long size = archive.openConnection().getContentLengthLong();
        Path folder = parent.resolve("weir-postgres-" + size + "-" + System.getProperty("user.name"));
        if (!Files.exists(folder)) {
            Path fresh = ServerProcess.newDirectory("postgres");
            try {
                Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxr-xr-x"));
                unpack(archive, fresh);
                moveOnce(fresh, folder);
            } finally {
                ServerProcess.remove(fresh);
            }
        }
        if (!Files.isWritable(folder)) {
            throw new FileAlreadyExistsException(folder.toString(), null, "another user has made it");
        }
        return folder;
    }

    private static void unpack(URL archive, Path folder) throws IOException, InterruptedException {
        Path file = folder.resolve("archive.txz");
        try (InputStream in = archive.openStream()) {
            Files.copy(in, file);
        }
        Process tar = new ProcessBuilder("tar", "-xJf", file.toString(), "-C", folder.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (tar.waitFor() != 0) {
            throw new IOException("tar answered " + tar.exitValue());
        }
        Files.delete(file);
    }

    /** Another process may have been faster: then its folder stays. */
    private static void moveOnce(Path fresh, Path folder) throws IOException {
        try {
            Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            if (!Files.exists(folder)) {
                throw e;
            }
        }
    }
}
