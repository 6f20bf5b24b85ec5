package consumers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.springframework.boot.SpringApplicationAotProcessor;
import shop.Shop;

/** The same sample, without and with the code that Spring writes for it ahead of time. */
public final class Aot {
    private Aot() {}

    public static void main(String[] args) throws Exception {
        Boot.main(args);
        Path classes = Path.of(
                Shop.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path written = Files.createTempDirectory("aot");
        SpringApplicationAotProcessor.main(new String[] {
            Shop.class.getName(),
            written + "/sources",
            written + "/resources",
            written + "/classes",
            "consumers",
            "boot",
            "--warehouse=none"
        });
        compile(written.resolve("sources"), written.resolve("classes"));
        copy(written.resolve("classes"), classes);
        System.setProperty("spring.aot.enabled", "true");
        Boot.main(args);
    }

    private static void compile(Path sources, Path classes) throws Exception {
        String path = System.getProperty("java.class.path");
        List<String> arguments = new ArrayList<>(List.of("-proc:none", "-nowarn", "-d", "" + classes, "-cp", path));
        try (Stream<Path> files = Files.walk(sources)) {
            arguments.addAll(files.map(Path::toString)
                    .filter(file -> file.endsWith(".java"))
                    .collect(Collectors.toList()));
        }
        int code = ToolProvider.getSystemJavaCompiler()
                .run(null, System.out, System.err, arguments.toArray(String[]::new));
        Check.expect(0, code);
        Check.expect(true, Files.exists(classes.resolve("shop/Shop__ApplicationContextInitializer.class")));
    }

    /* Spring empties the folder that it writes classes to, so that is not the one where those of the application are. */
    private static void copy(Path from, Path to) throws Exception {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).collect(Collectors.toList())) {
                Path copy = to.resolve(from.relativize(file));
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        }
    }
}
