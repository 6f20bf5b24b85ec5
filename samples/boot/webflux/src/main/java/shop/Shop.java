package shop;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/** A shop that asks a warehouse for each order, under the limits of application.yml. */
@SpringBootApplication
@RestController
public class Shop {
    private final WebClient warehouse;

    Shop(@Value("${warehouse}") String address) {
        warehouse = WebClient.create(address);
    }

    public static void main(String[] args) {
        SpringApplication.run(Shop.class, args);
    }

    @GetMapping("/orders")
    Mono<String> orders() {
        return warehouse.get().uri("/stock").retrieve().bodyToMono(String.class);
    }
}
