package dev.weir.spring.boot.five;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The application of docs/start/spring-boot.md. */
// #region app
@SpringBootApplication
@RestController
public class Shop {
    public static void main(String[] args) {
        SpringApplication.run(Shop.class, args);
    }

    @GetMapping("/orders")
    String orders() {
        return "sold";
    }
}
// #endregion app
