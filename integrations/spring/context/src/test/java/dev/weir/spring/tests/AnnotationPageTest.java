package dev.weir.spring.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.LimitExceededException;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.FileSource;
import dev.weir.named.Names;
import dev.weir.spring.EnableLimited;
import dev.weir.spring.Limited;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** The code of the page on {@code @Limited}. */
class AnnotationPageTest {
    private static final String DOCUMENT = """
            limits:
              checkout: { concurrency: 20, queue: { capacity: 100, max-wait: 200ms } }
              orders: { rate: 100/min, key: customer }
              bytes: { rate: 10000/s, key: [customer, ip] }
            """;

    private static Path file;

    // #region configuration
    @Configuration
    @EnableLimited
    static class Limits {
        @Bean
        LimiterRegistry registry() {
            return LimiterRegistry.of(FileSource.of(file)); // limits.yaml
        }

        @Bean
        Names names(LimiterRegistry registry) {
            return registry.names();
        }
    }
    // #endregion configuration

    record Order(String customer, String goods) {}

    record Upload(String customer, String ip, byte[] content) {}

    // #region shop
    static class Shop {
        @Limited("checkout")
        String pay(Order order) {
            return "paid for " + order.goods();
        }

        @Limited(name = "orders", key = "#order.customer", fallback = "later")
        String order(Order order) {
            return "ordered " + order.goods();
        }

        String later(Order order, Rejection refused) {
            return order.goods() + " later, " + refused.reason();
        }

        @Limited(
                name = "bytes",
                keys = {"customer=#file.customer", "ip=#file.ip"},
                cost = "#file.content.length")
        CompletableFuture<Integer> store(Upload file) {
            return CompletableFuture.supplyAsync(() -> file.content().length);
        }

        @Limited(name = "checkout", maxWait = "50ms")
        Mono<String> search(String words) {
            return Mono.fromSupplier(() -> "found " + words);
        }
    }
    // #endregion shop

    @Test
    void theShopIsLimited(@TempDir Path folder) throws Exception {
        file = Files.writeString(folder.resolve("limits.yaml"), DOCUMENT);
        try (var app = new AnnotationConfigApplicationContext(Limits.class, Shop.class)) {
            Shop shop = app.getBean(Shop.class);
            Names names = app.getBean(Names.class);
            assertEquals("paid for tea", shop.pay(new Order("ann", "tea")));
            for (int i = 1; i <= 100; i++) {
                assertEquals("ordered tea", shop.order(new Order("ann", "tea")));
            }
            assertEquals("tea later, RATE", shop.order(new Order("ann", "tea")));
            assertEquals("ordered tea", shop.order(new Order("bob", "tea")));
            assertEquals(7, shop.store(new Upload("ann", "::1", new byte[7])).get());
            Permit held = (Permit) names.limiter("checkout").tryAcquire(20);
            LimitExceededException refused = assertThrows(
                    LimitExceededException.class, () -> shop.search("tea").block());
            assertEquals("checkout", refused.rejection().limiter());
            held.close();
            assertEquals("found tea", shop.search("tea").block());
            assertEquals(List.of("bytes", "checkout", "orders"), names.names());
        }
    }
}
