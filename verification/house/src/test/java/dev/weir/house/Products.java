package dev.weir.house;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The published modules, by the folder of each. */
enum Products {
    API("api"),
    ALGORITHMS("algorithms"),
    ADAPTIVE("adaptive"),
    ADMISSION_QUEUE("admission-queue"),
    DISTRIBUTED("distributed"),
    TESTKIT("testkit"),
    NAMED("named"),
    CONFIG("config"),
    MICROMETER("integrations/insight/micrometer"),
    CONSOLE("integrations/insight/console"),
    HTTP("integrations/web/http"),
    SPRING("integrations/spring/context"),
    SPRING_BOOT_STARTER("integrations/spring/boot-starter"),
    REACTOR("integrations/web/reactor"),
    WEBFLUX("integrations/web/webflux"),
    SERVLET("integrations/web/servlet"),
    HTTP_SOURCE("integrations/sources/http"),
    CONSUL("integrations/sources/consul"),
    ZOOKEEPER("integrations/sources/zookeeper"),
    ETCD("integrations/sources/etcd"),
    STORE_LIMITS("integrations/stores/limits"),
    STORE_CONTRACT("integrations/stores/contract"),
    REDIS("integrations/stores/redis"),
    JDBC("integrations/stores/jdbc"),
    NACOS("integrations/sources/nacos"),
    APOLLO("integrations/sources/apollo");

    private final Path folder;

    Products(String folder) {
        this.folder = Path.of("..", "..").resolve(folder);
    }

    Path classes() {
        return folder.resolve("target/classes");
    }

    /** The main sources, without package-info and module-info. */
    List<Path> sources() {
        return files(folder.resolve("src/main/java"), ".java").stream()
                .filter(file -> !file.getFileName().toString().contains("-info"))
                .toList();
    }

    /** The main sources with package-info and module-info. */
    List<Path> allSources() {
        return files(folder.resolve("src/main/java"), ".java");
    }

    static List<Path> files(Path root, String ending) {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return folder.getFileName().toString();
    }
}
