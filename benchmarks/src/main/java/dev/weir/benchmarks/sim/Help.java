package dev.weir.benchmarks.sim;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Texts kept as files, so that the script can print them without a build. */
final class Help {
    private Help() {}

    static String text(String name) throws IOException {
        try (InputStream in = Help.class.getResourceAsStream("/" + name)) {
            if (in == null) {
                throw new IOException("no resource " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
