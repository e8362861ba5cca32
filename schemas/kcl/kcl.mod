[package]
name = "banlieue"
version = "0.1.0"
